import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Removes a person's names from comments and from the reasons of decisions, in which people who work on a campaign may
/// have written them (ADM-4, CON-12).
extension ContactService {
    /// How many texts are read at a time.
    private static let textsAtOnce = 200

    private typealias TextPosition = ReviewTextRepository.Position

    /// The names of a person that occur in the app's comments.
    func inComments(_ names: PersonNames, app: AppRecord) async throws -> Set<NameRedaction.Name> {
        let redaction = NameRedaction(names)
        guard !redaction.isEmpty else { return [] }
        var found: Set<NameRedaction.Name> = []
        try await forEachPageOfTexts(app: app) { _, page in
            for entry in page { found.formUnion(redaction.names(in: entry.text)) }
        }
        return found
    }

    func forgetInComments(_ names: Set<NameRedaction.Name>, app: AppRecord) async throws {
        let redaction = NameRedaction(names)
        guard !redaction.isEmpty else { return }
        try await forEachPageOfTexts(app: app) { kind, page in
            let changed = page.compactMap { entry in
                redaction.redacted(entry.text).map { (entry.position.id, $0) }
            }
            guard !changed.isEmpty else { return }
            try await database.write { connection in
                for (id, text) in changed { try connection.reviewTexts.replace(kind, id, by: text) }
            }
        }
    }

    private func forEachPageOfTexts(
        app: AppRecord, _ body: (ReviewTextKind, [(position: TextPosition, text: String)]) async throws -> Void
    ) async throws {
        for kind in ReviewTextKind.allCases {
            var position: TextPosition?
            while true {
                let start = position
                let page = try await database.read {
                    try $0.reviewTexts.list(kind, app: app.id, after: start, limit: Self.textsAtOnce)
                }
                try await body(kind, page)
                guard page.count == Self.textsAtOnce, let last = page.last else { break }
                position = last.position
            }
        }
    }
}
