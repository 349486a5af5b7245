package import MienStore
package import MienTools

extension BackupError: FailureConvertible {
    package var failure: Failure {
        Failure([.files, .busy].contains(code) ? .notSetUp : .badInput, code.rawValue, reason)
    }
}
