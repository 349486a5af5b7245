public import ArgumentParser
public import MienModels

/// The arithmetic of the networks, and the form of them that it needs.
public enum PrecisionOption: String, Sendable, CaseIterable, ExpressibleByArgument {
    case f32, bf16, int8

    /// The arithmetic of the processor; quantized networks say for themselves where they use
    /// integers.
    public var arithmetic: NetworkOptions.Precision { self == .bf16 ? .bf16 : .f32 }

    public var variant: PackVariant? { self == .int8 ? .int8 : nil }
}
