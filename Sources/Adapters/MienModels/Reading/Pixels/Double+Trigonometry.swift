internal import Foundation

extension Double {
    var cosine: Double { cos(self) }
    var sine: Double { sin(self) }
    var exponential: Double { exp(self) }
}

extension Double {
    var logarithm: Double { log(self) }
    var logarithmBase2: Double { log2(self) }
}

extension Float {
    var exponential: Float { exp(self) }
    var logarithm: Float { log(self) }
}

extension Double {
    /// The angle of a vector with this height and a width, −180…180.
    func degrees(over width: Double) -> Double { atan2(self, width) * 180 / .pi }
}
