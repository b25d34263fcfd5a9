import Foundation

/// The work that one worker has leased, by round: each has items of one app.
package actor HeldWork<Item: Hashable & Sendable> {
    private struct Round {
        let app: Int64?
        var items: Set<Item>
        var isEnding = false
    }

    private var rounds: [Int: Round] = [:]
    private var lastNumber = 0
    /// That of the newest round: where apps take turns, the next one is looked for behind it.
    private(set) var lastApp: Int64?
    private var alone = LoneWork<Int>()
    private var patience = TakeoverPatience()

    /// Rounds in work.
    var count: Int { rounds.count }
    var items: [Item] { rounds.values.flatMap(\.items) }

    /// Those whose leases are renewed.
    var leased: [Item] { rounds.values.filter { !$0.isEnding }.flatMap(\.items) }

    func count(of app: Int64) -> Int {
        rounds.values.count { $0.app == app }
    }

    /// The apps with so many rounds in work.
    func apps(with count: Int) -> [Int64] {
        Dictionary(grouping: rounds.values.compactMap(\.app)) { $0 }.filter { $0.value.count >= count }.map(\.key)
    }

    /// Whether work that may crash the process may start now (SEC-8), and whether it is known that nobody else is at it.
    func mayBeginAlone(at now: Date) -> Bool {
        alone.isFree(at: now) && patience.allowsTakeover(at: now)
    }

    /// Whether a lease that has ended says that its holder is dead.
    func mayTakeOver(at now: Date) -> Bool {
        patience.allowsTakeover(at: now)
    }

    /// The worker looks at its leases, as it regularly does.
    func look(at now: Date) {
        patience.look(at: now)
    }

    /// The worker has waited for the database, and was answered.
    func waited(since begin: Date, until now: Date) {
        patience.waited(since: begin, until: now)
    }

    /// The worker could not reach the database.
    func heldUp(at now: Date) {
        patience.heldUp(at: now)
    }

    /// - Parameters:
    ///   - app: nil where the claim itself counts an app's rounds.
    ///   - start: its start, for work that may crash the process; nil for other work.
    /// - Returns: the round's number.
    func insert(_ items: [Item], of app: Int64? = nil, aloneSince start: Date? = nil) -> Int {
        lastNumber += 1
        if let app { lastApp = app }
        rounds[lastNumber] = Round(app: app, items: Set(items))
        if let start { alone.begin(lastNumber, at: start) }
        return lastNumber
    }

    /// The round made progress, so it did not crash the process.
    ///
    /// - Returns: whether other work that may crash the process may now start.
    func progress(of number: Int) -> Bool {
        alone.end(number)
    }

    /// The round is about to be given back: from now on a missing lease is expected.
    func end(_ number: Int) {
        rounds[number]?.isEnding = true
    }

    /// These items are done; the others of the round are still in work.
    func remove(_ items: [Item], from number: Int) {
        rounds[number]?.items.subtract(items)
        alone.end(number)
    }

    func remove(_ number: Int) {
        rounds[number] = nil
        alone.end(number)
    }
}
