import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Who works on a campaign may have named a person in a comment, or in the reason of a decision: that is taken out, too
/// (ADM-4, CON-12).
extension ContactService {
    /// Texts that are read at once.
    private static let textsAtOnce = 200

    func forgetInComments(_ names: PersonNames, app: AppRecord) async throws {
        let redaction = NameRedaction(names)
        guard !redaction.isEmpty else { return }
        for kind in ReviewTextKind.allCases {
            var position: ReviewTextRepository.Position?
            while true {
                let start = position
                let page = try await database.read {
                    try $0.reviewTexts.list(kind, app: app.id, after: start, limit: Self.textsAtOnce)
                }
                let changed = page.compactMap { entry in
                    redaction.redacted(entry.text).map { (entry.position.id, $0) }
                }
                if !changed.isEmpty {
                    try await database.write { connection in
                        for (id, text) in changed { try connection.reviewTexts.replace(kind, id, by: text) }
                    }
                }
                guard page.count == Self.textsAtOnce, let last = page.last else { break }
                position = last.position
            }
        }
    }
}
