import MienCalibration

/// Reads any bytes as a list of pairs. A parsed list has equally many pairs of both kinds in each
/// fold.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    guard let list = try? PairList(text) else { return 0 }
    for fold in list.folds { precondition(fold.count { $0.isMated } * 2 == fold.count) }
    return 0
}
