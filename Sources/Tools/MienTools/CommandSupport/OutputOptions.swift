public import ArgumentParser

/// Options that every command has.
public struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object, for scripts.")
    public var json = false

    public init() {}
}
