import ArgumentParser
import BelfryAPI

/// Which part of a list a command shows.
struct ListOptions: ParsableArguments {
    /// All of them are in memory at once.
    static let maximum = 100_000

    @Option(help: "The maximum number of entries, 1 to 100000.")
    var limit = 100

    @Option(help: "Continue after an earlier page, with the cursor that it printed.")
    var cursor: String?

    func validate() throws {
        guard (1...Self.maximum).contains(limit) else { throw ValidationError("--limit must be 1 to \(Self.maximum).") }
    }

    /// Reads page after page until there are enough entries, or no more.
    ///
    /// - Parameters:
    ///   - entries: what an answer lists.
    ///   - cursor: where the list goes on; nil at its end.
    ///   - limits: how many the server gives at once.
    ///   - page: reads the page that a query asks for, as `limit=100&cursor=…`.
    func collect<Answer, Entry>(
        _ entries: WritableKeyPath<Answer, [Entry]>, _ cursor: WritableKeyPath<Answer, String?>,
        pagesOf limits: PageLimits, _ page: (_ query: String) async throws -> Answer
    ) async throws -> Answer {
        func query(_ missing: Int, after position: String?) -> String {
            "limit=\(min(limits.maximum, missing))" + (position.map { "&cursor=\($0.pathSegment)" } ?? "")
        }
        var all = try await page(query(limit, after: self.cursor))
        while let position = all[keyPath: cursor], all[keyPath: entries].count < limit {
            let next = try await page(query(limit - all[keyPath: entries].count, after: position))
            all[keyPath: entries] += next[keyPath: entries]
            all[keyPath: cursor] = next[keyPath: cursor]
        }
        return all
    }

    /// Says below a table that there is more.
    func text(_ table: TextTable, cursor: String?) -> String {
        guard let cursor else { return table.text }
        return "\(table.text)\n\nThere are more: use '--cursor \(cursor)' for the next page, or a larger '--limit'."
    }
}

/// The query of an address.
enum QueryText {
    /// What follows the parameters of a page: `&state=accepted&reason=…`; nothing for what is not asked for.
    static func filters(_ parameters: [(name: String, value: String?)]) -> String {
        parameters.map { name, value in value.map { "&\(name)=\($0.pathSegment)" } ?? "" }.joined()
    }

    /// The same for a call without pages.
    static func parameters(_ parameters: [(name: String, value: String?)]) -> String {
        String(filters(parameters).dropFirst())
    }
}
