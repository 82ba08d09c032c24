"""Takes the messages of gateways and puts them into the chain's database, each number once. `deploy/chain/collector` runs it.

    options ─► source (mqtt, amqp) ─► reading ─► database
                  ▲  acknowledges only after the commit │
                  └─────────────────────────────────────┘
"""
