import Testing

/// Suites whose streams have threads, one test after another: some count what is left in this
/// process.
@Suite(.serialized) enum MediaTests {}
