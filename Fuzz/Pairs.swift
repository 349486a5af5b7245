import MienFace

/// Reads any bytes as a list of pairs and as a list of groups. A parsed list of pairs has equally
/// many of both kinds in each fold; one of groups has no group outside its list.
func fuzzPairs(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let list = try? GroupList(text) {
        for column in list.columns {
            precondition(column.group.values.allSatisfy(column.groups.indices.contains))
        }
    }
    guard let list = try? PairList(text) else { return }
    for fold in list.folds { precondition(fold.count { $0.isMated } * 2 == fold.count) }
}
