import Testing

/// Suites whose streams have threads. They run serially, because some count the threads and files
/// left in this process.
@Suite(.serialized) enum MediaTests {}
