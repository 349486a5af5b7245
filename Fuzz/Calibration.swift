import Foundation
import MienFace

/// Reads any bytes as the JSON of a calibration. A parsed calibration is a decreasing curve.
func fuzzCalibration(_ bytes: [UInt8]) {
    guard let table = try? JSONDecoder().decode(CalibrationTable.self, from: Data(bytes)) else {
        return
    }
    precondition(
        table.knots.count >= 2
            && table.logRate(of: table.knots[0].score) >= table.logRate(of: table.knots[1].score))
}
