import BelfryModel
import BelfryStore

/// The revision of a push service's credentials that an editor started from, or none if there were no credentials
/// (CON-10). The number grows with each change and is never used twice.
package struct CredentialRevision: Hashable, Sendable {
    package static let nothing = CredentialRevision(number: nil)

    private let number: Int64?

    private init(number: Int64?) {
        self.number = number
    }

    init(_ record: CredentialRecord) {
        number = record.revision
    }

    /// Reads the format of ``text``. Nil for any other text.
    package init?(text: String) {
        guard text != "none" else {
            self = .nothing
            return
        }
        guard let number: Int64 = WholeNumber.read(text) else { return nil }
        self.number = number
    }

    package var text: String { number.map { String($0) } ?? "none" }

    func require(_ record: CredentialRecord?) throws(ServiceError) {
        guard number == record?.revision else {
            throw .conflict(
                code: "changedMeanwhile", message: "Somebody else has changed these credentials meanwhile."
            )
        }
    }
}
