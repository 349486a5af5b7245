import ArgumentParser

/// Whether cached descriptors of earlier runs are used.
struct CacheOptions: ParsableArguments {
    @Flag(help: "Recompute all descriptors and do not cache them.") var noCache = false
}
