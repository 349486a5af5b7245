import Foundation
import MienCore
import MienFace

/// Reads any bytes as a model pack's manifest. Seed: the default pack's manifest.
///
/// Must hold: the result is an error, or a manifest that is the same when written and parsed again.
/// A manifest without faults is within its limits. Faults can be printed.
func fuzzManifest(_ bytes: [UInt8]) {
    guard let manifest = try? PackManifest(parsing: Data(bytes)) else { return }
    let faults = manifest.faults
    precondition(faults.allSatisfy(\.isPrintable))
    guard faults.isEmpty else { return }
    precondition(
        manifest.files.allSatisfy {
            !$0.name.contains("/") && !$0.name.hasPrefix(".")
                && (0...PackManifest.filesLimit).contains($0.bytes)
        })
    precondition(manifest.geometry.detectorShortRange.anchorCount <= PackManifest.anchorLimit)
    guard
        let again = (try? JSONEncoder().encode(manifest)).flatMap({ try? PackManifest(parsing: $0) }
        )
    else {
        preconditionFailure("the written manifest cannot be parsed")
    }
    precondition(again == manifest)
}
