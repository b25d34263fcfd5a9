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
    ///   - limits: how many the server gives at once.
    ///   - page: reads the page that a query asks for, as `limit=100&cursor=…`.
    func collect<Entry>(
        pagesOf limits: PageLimits, _ page: (_ query: String) async throws -> ListPage<Entry>
    ) async throws -> ListPage<Entry> {
        var all = ListPage<Entry>(entries: [], cursor: cursor)
        repeat {
            let position = all.cursor.map { "&cursor=\($0.pathSegment)" } ?? ""
            let next = try await page("limit=\(min(limits.maximum, limit - all.entries.count))\(position)")
            all = ListPage(entries: all.entries + next.entries, cursor: next.cursor)
        } while all.cursor != nil && all.entries.count < limit
        return all
    }

    /// Says below a table that there is more.
    func text(_ table: TextTable, cursor: String?) -> String {
        guard let cursor else { return table.text }
        return "\(table.text)\n\nThere are more: use '--cursor \(cursor)' for the next page, or a larger '--limit'."
    }
}

/// What was read of a list, and where it goes on.
struct ListPage<Entry> {
    let entries: [Entry]
    /// Nil at the end.
    let cursor: String?
}
