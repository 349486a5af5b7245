internal import Foundation

/// The quantiles of the standard normal distribution.
enum NormalDeviate {
    /// Returns the x below which a share of `p` lies; ±infinity at 1 and 0. Relative error below
    /// 1.2e-9.
    ///
    /// Source: Acklam, "An algorithm for computing the inverse normal cumulative distribution
    /// function", 2003.
    static func quantile(_ p: Double) -> Double {
        guard p > 0 else { return -.infinity }
        guard p < 1 else { return .infinity }
        if p > 0.5 { return -quantile(1 - p) }
        guard p < 0.02425 else {
            let q = p - 0.5, r = q * q
            return q * polynomial(center, r) / polynomial(centerUnder, r)
        }
        let q = (-2 * log(p)).squareRoot()
        return polynomial(tail, q) / polynomial(tailUnder, q)
    }

    /// Evaluates a polynomial, highest power first.
    private static func polynomial(_ factors: [Double], _ x: Double) -> Double {
        factors.reduce(0) { $0 * x + $1 }
    }

    private static let center = [
        -3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02,
        1.383577518672690e+02, -3.066479806614716e+01, 2.506628277459239e+00,
    ]
    private static let centerUnder = [
        -5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
        6.680131188771972e+01, -1.328068155288572e+01, 1,
    ]
    private static let tail = [
        -7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
        -2.549732539343734e+00, 4.374664141464968e+00,
        2.938163982698783e+00,
    ]
    private static let tailUnder = [
        7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00,
        1,
    ]
}
