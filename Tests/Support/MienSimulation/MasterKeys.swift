import MienSealing

/// The master key of every simulation.
enum MasterKeys {
    static let only = MasterKey(bytes: Array(1...32))
}
