"""Three stores that are made up, for deploy/chain/quickstart: five weeks of them, and what goes on while one looks."""
