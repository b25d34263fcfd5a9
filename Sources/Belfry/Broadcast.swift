/// Sends elements to all listeners. Unlike in an `AsyncStream`, waiting elements can be removed, so that no listener
/// gets elements of the previous person (MC-12).
final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var mailboxes: [Int: Weak] = [:]
        var numbers = 0
        var isFinished = false
    }

    private struct Weak {
        weak var mailbox: ListenerQueue<Element>?
    }

    private let maximumWaiting: Int
    private let state = Locked(State())

    /// - Parameter maximumWaiting: for each listener; beyond it the oldest are dropped.
    init(maximumWaiting: Int) {
        self.maximumWaiting = maximumWaiting
    }

    /// Without the broadcast no more elements can be sent, so the streams end.
    deinit {
        finish()
    }

    /// A stream for one listener, with the elements that are sent from now on.
    func listen() -> AsyncStream<Element> {
        let mailbox = ListenerQueue<Element>(maximumWaiting: maximumWaiting)
        let isFinished = state.withLock { state in
            state.numbers += 1
            state.mailboxes = state.mailboxes.filter { $0.value.mailbox != nil }
            if !state.isFinished { state.mailboxes[state.numbers] = Weak(mailbox: mailbox) }
            return state.isFinished
        }
        if isFinished { mailbox.finish() }
        return AsyncStream(unfolding: { await mailbox.next() }, onCancel: { mailbox.finish() })
    }

    func send(_ element: Element) {
        for mailbox in listening {
            mailbox.add(element)
        }
    }

    /// Removes all elements that were not delivered yet.
    func purge() {
        for mailbox in listening {
            mailbox.purge()
        }
    }

    func finish() {
        let last = state.withLock { state in
            defer { state.mailboxes = [:] }
            state.isFinished = true
            return state.mailboxes.values.compactMap(\.mailbox)
        }
        for mailbox in last {
            mailbox.finish()
        }
    }

    private var listening: [ListenerQueue<Element>] {
        state.withLock { $0.mailboxes.values.compactMap(\.mailbox) }
    }
}

/// The elements that wait for one listener.
private final class ListenerQueue<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        var listener: CheckedContinuation<Element?, Never>?
        var isFinished = false
    }

    private let maximumWaiting: Int
    private let state = Locked(State())

    init(maximumWaiting: Int) {
        self.maximumWaiting = maximumWaiting
    }

    func add(_ element: Element) {
        let listener = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            guard !state.isFinished else { return nil }
            guard let listener = state.listener else {
                state.waiting.append(element)
                state.waiting.removeFirst(max(0, state.waiting.count - maximumWaiting))
                return nil
            }
            state.listener = nil
            return listener
        }
        listener?.resume(returning: element)
    }

    /// - Returns: nil at the end.
    func next() async -> Element? {
        await withCheckedContinuation { continuation in
            let former = state.withLock { state -> CheckedContinuation<Element?, Never>? in
                // A stream has one listener; if there are two, the first one ends.
                let former = state.listener
                state.listener = continuation
                return former
            }
            former?.resume(returning: nil)
            hand()
        }
    }

    /// Delivers the next element, if the listener waits for one.
    private func hand() {
        let (listener, element) = state.withLock { state -> (CheckedContinuation<Element?, Never>?, Element?) in
            guard state.listener != nil, !state.waiting.isEmpty || state.isFinished else { return (nil, nil) }
            let listener = state.listener
            state.listener = nil
            return (listener, state.waiting.isEmpty ? nil : state.waiting.removeFirst())
        }
        listener?.resume(returning: element)
    }

    func purge() {
        state.withLock { $0.waiting = [] }
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        hand()
    }
}
