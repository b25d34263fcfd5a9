/// Hands elements to all who listen. What waits for a listener can be taken back, which an `AsyncStream` of its own
/// cannot: nobody is to get what was meant for the person before (MC-12).
final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var mailboxes: [Int: Weak] = [:]
        var numbers = 0
        var isFinished = false
    }

    private struct Weak {
        weak var mailbox: Mailbox<Element>?
    }

    private let maximumWaiting: Int
    private let state = Locked(State())

    /// - Parameter maximumWaiting: for each listener; beyond it the oldest go.
    init(maximumWaiting: Int) {
        self.maximumWaiting = maximumWaiting
    }

    /// Nobody can tell anything any more.
    deinit {
        finish()
    }

    /// A stream for one listener: what is sent from now on.
    func listen() -> AsyncStream<Element> {
        let mailbox = Mailbox<Element>(maximumWaiting: maximumWaiting)
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

    /// Takes back what nobody has got yet.
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

    private var listening: [Mailbox<Element>] {
        state.withLock { $0.mailboxes.values.compactMap(\.mailbox) }
    }
}

/// What waits for one listener.
private final class Mailbox<Element: Sendable>: Sendable {
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
                // A stream has one listener; should there be two, the first one ends.
                let former = state.listener
                state.listener = continuation
                return former
            }
            former?.resume(returning: nil)
            hand()
        }
    }

    /// Gives the listener what there is for it.
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
