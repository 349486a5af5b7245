internal import Foundation
internal import MienCore
public import MienFace

extension ModelPack {
    /// Returns the matcher for this pack's descriptors, from its calibration and, if that uses one,
    /// its cohort.
    ///
    /// - Throws: ``PackError`` `.badManifest` if these files exist but are malformed or do not fit
    ///   the descriptor network.
    public func matcher() throws(PackError) -> FaceMatcher {
        let table: CalibrationTable
        do {
            let limits = JSONText.Limits(maxBytes: PackManifest.sizeLimit, maxDepth: 16)
            table = try JSONText.parse([UInt8](contents(of: manifest.calibration)), limits: limits)
                .decoded(as: CalibrationTable.self)
        } catch let error as PackError {
            throw error
        } catch {
            throw PackError(
                .badManifest,
                "\(folder.appending(path: manifest.calibration).path) is not a calibration table: \(ModelPack.words(for: error))"
            )
        }
        guard table.normalization.usesCohort else {
            return FaceMatcher(
                dimension: manifest.geometry.descriptor.dimensions, calibration: table)
        }
        guard let name = manifest.cohort else {
            throw PackError(
                .badManifest,
                "the calibration of \(id.text) uses \(table.normalization.rawValue), but the manifest names no cohort"
            )
        }
        let cohort: Cohort
        do { cohort = try Cohort(bytes: [UInt8](contents(of: name))) } catch let error
            as PackError
        { throw error } catch {
            throw PackError(
                .badManifest,
                "\(folder.appending(path: name).path) is not a cohort: \(ModelPack.words(for: error))"
            )
        }
        guard cohort.dimension == manifest.geometry.descriptor.dimensions else {
            throw PackError(
                .badManifest,
                "the cohort of \(id.text) has \(cohort.dimension) dimensions, but its descriptors have a different number"
            )
        }
        return FaceMatcher(cohort: cohort, calibration: table)
    }
}
