/// The queue of calls: strictly first in, first out, except for events.
package struct V3Queue: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case call(V3Call)
        case event(JSON)
    }

    private struct Entry: Hashable, Sendable {
        let id: Int
        let content: Content
    }

    /// Calls that are sent together.
    enum Batch: Hashable, Sendable {
        case call(id: Int, V3Call)
        case events(ids: [Int], [JSON])

        var ids: [Int] {
            switch self {
            case .call(let id, _): [id]
            case .events(let ids, _): ids
            }
        }
    }

    private var entries: [Entry] = []
    private var lastID = 0

    package init() {}

    package var count: Int { entries.count }

    mutating func append(_ content: Content) -> Int {
        lastID += 1
        entries.append(Entry(id: lastID, content: content))
        return lastID
    }

    /// The oldest call; when it is an event, all events that wait, also those behind other calls.
    ///
    /// - Parameter mergesEvents: false: each event is sent by itself.
    func next(mergesEvents: Bool) -> Batch? {
        guard let head = entries.first else { return nil }
        switch head.content {
        case .call(let call): return .call(id: head.id, call)
        case .event(let event) where !mergesEvents: return .events(ids: [head.id], [event])
        case .event: break
        }
        let events = entries.compactMap { entry -> (Int, JSON)? in
            guard case .event(let event) = entry.content else { return nil }
            return (entry.id, event)
        }
        return .events(ids: events.map { $0.0 }, events.map { $0.1 })
    }

    mutating func remove(_ ids: [Int]) {
        let ids = Set(ids)
        entries.removeAll { ids.contains($0.id) }
    }
}
