# The brokers of deploy/broker/README.md with their real configurations, as Tests/Agent/Broker has them. Sourced by run, which is in the
# folder deploy/broker by then.

# begin_brokers: an authority, the chain's broker, and a store's with its bridge. Sets what brokers_test.py needs.
begin_brokers() {
    local name
    source "$root/Tests/Agent/Broker/machines.sh"
    make_machines
    follow $authority "### 1." && follow $chain "### 2." && follow $store "### 3." || return 1
    for name in berlin-17/back-door paris-3 paris-3/entrance; do
        "$machines/$authority/make-ca" "$machines/$authority/ca" client "$name" || return 1
    done
    # A second store, for what its bridge may not do.
    "$machines/chain/mosquitto/allow-store" paris-3 >>"$machines/$chain/etc/mosquitto/beacond/acl" && unit $chain reload
}
