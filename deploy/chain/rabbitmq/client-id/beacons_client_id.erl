%% A plugin of RabbitMQ 3.10, which is Debian 12's: the client identifier of an MQTT client is tied to its user, and so to its certificate. And
%% AMQP is for users with the tag `amqp` alone: there a header, CC, routes a message past the permissions for topics, into other stores' queues.
%%
%% RabbitMQ ends the older of two connections with one client identifier, whoever the newer one belongs to. This module is asked after the
%% login and before that. It refuses an identifier that is another user's name, or begins with another user's name and a slash. All other
%% questions are RabbitMQ's own to answer.
-module(beacons_client_id).
-behaviour(rabbit_authz_backend).

-include_lib("rabbit_common/include/rabbit.hrl").

-export([user_login_authorization/2, check_vhost_access/3, check_resource_access/4, check_topic_access/4, state_can_expire/0]).

user_login_authorization(Username, Properties) -> rabbit_auth_backend_internal:user_login_authorization(Username, Properties).

check_vhost_access(User, VHost, Context) ->
    may_come(User, Context) andalso rabbit_auth_backend_internal:check_vhost_access(User, VHost, Context).

check_resource_access(User, Resource, Permission, Context) ->
    rabbit_auth_backend_internal:check_resource_access(User, Resource, Permission, Context).

check_topic_access(User, Resource, Permission, Context) ->
    rabbit_auth_backend_internal:check_topic_access(User, Resource, Permission, Context).

state_can_expire() -> false.

may_come(#auth_user{username = Username}, #{<<"client_id">> := Identifier}) ->
    [Owner | _] = binary:split(Identifier, <<"/">>),
    Owner =:= Username orelse not rabbit_auth_backend_internal:exists(Owner);
%% Clients of AMQP have no client identifier.
may_come(#auth_user{tags = Tags}, _Context) -> lists:member(amqp, Tags).
