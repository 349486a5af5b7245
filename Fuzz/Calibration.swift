import Foundation
import MienFace

/// Reads any bytes as the JSON of a calibration. A parsed calibration is a decreasing curve.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    guard
        let table = try? JSONDecoder().decode(
            CalibrationTable.self, from: Data(UnsafeBufferPointer(start: start, count: count)))
    else { return 0 }
    precondition(
        table.knots.count >= 2
            && table.logRate(of: table.knots[0].score) >= table.logRate(of: table.knots[1].score))
    return 0
}
