import Foundation

/// The work that one worker has leased, by round. The items of a round belong to one app.
package actor HeldWork<Item: Hashable & Sendable> {
    private struct Round {
        let app: Int64?
        var items: Set<Item>
        var isEnding = false
    }

    private var rounds: [Int: Round] = [:]
    private var lastNumber = 0
    /// The app of the newest round. Where apps take turns, the search for the next app starts after it.
    private(set) var lastApp: Int64?
    private var alone = LoneWork<Int>()
    private var patience = TakeoverPatience()

    /// The number of rounds in work.
    var count: Int { rounds.count }
    var items: [Item] { rounds.values.flatMap(\.items) }

    /// The items whose leases are renewed.
    var leased: [Item] { rounds.values.filter { !$0.isEnding }.flatMap(\.items) }

    func count(of app: Int64) -> Int {
        rounds.values.count { $0.app == app }
    }

    /// The apps with at least this many rounds in work.
    func apps(with count: Int) -> [Int64] {
        Dictionary(grouping: rounds.values.compactMap(\.app)) { $0 }.filter { $0.value.count >= count }.map(\.key)
    }

    /// Whether work that may crash the process may start now (SEC-8): no such work is in progress here, and an expired
    /// lease of another worker means that its holder is dead.
    func mayBeginAlone(at now: Date) -> Bool {
        alone.isFree(at: now) && patience.allowsTakeover(at: now)
    }

    /// Whether an expired lease means that its holder is dead, so that this worker may take the work over.
    func mayTakeOver(at now: Date) -> Bool {
        patience.allowsTakeover(at: now)
    }

    /// Records that the worker checks its leases, as it regularly does.
    func look(at now: Date) {
        patience.look(at: now)
    }

    /// Records that the worker waited for the database and got a response.
    func waited(since begin: Date, until now: Date) {
        patience.waited(since: begin, until: now)
    }

    /// Records that the worker could not reach the database.
    func heldUp(at now: Date) {
        patience.heldUp(at: now)
    }

    /// - Parameters:
    ///   - app: nil if the claim itself counts an app's rounds.
    ///   - start: the start of work that may crash the process; nil for other work.
    /// - Returns: the round's number.
    func insert(_ items: [Item], of app: Int64? = nil, aloneSince start: Date? = nil) -> Int {
        lastNumber += 1
        if let app { lastApp = app }
        rounds[lastNumber] = Round(app: app, items: Set(items))
        if let start { alone.begin(lastNumber, at: start) }
        return lastNumber
    }

    /// Records that the round made progress, so it did not crash the process.
    ///
    /// - Returns: whether other work that may crash the process may start now.
    func progress(of number: Int) -> Bool {
        alone.end(number)
    }

    /// Records that the round is about to be given back: from now on a missing lease is expected.
    func end(_ number: Int) {
        rounds[number]?.isEnding = true
    }

    /// Records that these items are done; the other items of the round are still in work.
    func remove(_ items: [Item], from number: Int) {
        rounds[number]?.items.subtract(items)
        alone.end(number)
    }

    func remove(_ number: Int) {
        rounds[number] = nil
        alone.end(number)
    }
}
