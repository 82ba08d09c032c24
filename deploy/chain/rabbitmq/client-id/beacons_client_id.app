{application, beacons_client_id, [
    {description, "The client identifier of an MQTT client is tied to its certificate"},
    {vsn, "1.0"},
    {modules, [beacons_client_id]},
    {registered, []},
    {applications, [kernel, stdlib, rabbit_common, rabbit]},
    {env, []},
    {broker_version_requirements, []}
]}.
