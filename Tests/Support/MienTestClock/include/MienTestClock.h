/// A library that `LD_PRELOAD` puts in front of the C library, so that a test sets the wall clock
/// of a real program. It has no functions of its own. See clock.c.
