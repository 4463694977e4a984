"""Three hundred everyday Python functions, by theme; the list was written before the compiler."""
