internal import Foundation

/// Returns 10 to the power of `x`.
func pow10(_ x: Double) -> Double { pow(10, x) }
