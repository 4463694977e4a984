# Stands for the file of the peers: `python` beside it answers instead.
