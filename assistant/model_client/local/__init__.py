"""Local models: a weights file served on this computer while it is in use.

llama.cpp (package `xllamacpp`, extra `local`) runs in a child process. Within this process,
loading would hold the interpreter lock for 1.6 to 3.8 s and unloading for 0.15 s, so that nothing
is painted; a damaged file, or one changed while it is mapped, would crash the program; and only
the end of a process returns all memory.

Start at `local_model`. Nothing is imported here, because the child process imports this package
too.
"""
