import ArgumentParser
import BelfryAPI

/// The options that choose which part of a list a command shows.
struct ListOptions: ParsableArguments {
    /// The maximum number of entries. All of them are in memory together.
    static let maximum = 100_000

    @Option(help: "The maximum number of entries, 1 to 100000.")
    var limit = 100

    @Option(help: "Continue after an earlier page, with the cursor that it printed.")
    var cursor: String?

    func validate() throws {
        guard (1...Self.maximum).contains(limit) else { throw ValidationError("--limit must be 1 to \(Self.maximum).") }
    }

    /// Reads page after page until there are enough entries or the list ends.
    ///
    /// - Parameters:
    ///   - entries: the entries of a response.
    ///   - cursor: the cursor of the next page; nil at the end of the list.
    ///   - limits: how many entries the server returns per page.
    ///   - page: reads the page of a query, as `limit=100&cursor=…`.
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

    /// The table, with a line below it when the list has more entries.
    func text(_ table: TextTable, cursor: String?) -> String {
        guard let cursor else { return table.text }
        return "\(table.text)\n\nThere are more: use '--cursor \(cursor)' for the next page, or a larger '--limit'."
    }
}

/// Builds the query part of a URL.
enum QueryText {
    /// Filters that follow the page parameters, such as `&state=accepted&reason=…`. Absent values are left out.
    static func filters(_ parameters: [(name: String, value: String?)]) -> String {
        parameters.map { name, value in value.map { "&\(name)=\($0.pathSegment)" } ?? "" }.joined()
    }

    /// Like ``filters(_:)``, but for a call without pages: there is no leading ampersand.
    static func parameters(_ parameters: [(name: String, value: String?)]) -> String {
        String(filters(parameters).dropFirst())
    }
}
