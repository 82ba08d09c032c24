"""Commands for the gateways of many stores: their settings over MQTT, and the gate between two stages of a change."""
