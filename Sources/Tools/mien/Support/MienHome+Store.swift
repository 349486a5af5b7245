import Foundation
import MienModels
import MienVault

extension MienHome {
    /// The people enrolled on this machine.
    func openStore() throws -> LocalFaceStore {
        try LocalFaceStore.open(
            folder: faces.path, keyPath: folder.appending(path: "faces.key").path)
    }
}
