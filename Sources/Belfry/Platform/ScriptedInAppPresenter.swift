import BelfryInAppRenderer

/// Shows in-app messages without a screen, for tests of apps and for simulations: it records the pages, and a script
/// acts as the person who sees them.
///
/// ```swift
/// let presenter = ScriptedInAppPresenter { _ in [.close(.close)] }
/// let platform = HeadlessPlatform(system: system, inAppPresenter: presenter)
/// ```
public final class ScriptedInAppPresenter: InAppPresenter {
    /// Records of the calls, in order. Only the newest ``most`` of each kind are kept, because a simulation may run for
    /// a long time.
    public struct Notes: Sendable {
        /// The maximum number of recorded pages of each kind.
        public static let most = 1_000

        /// The pages that were to be loaded, including those that failed.
        public fileprivate(set) var prepared: [InAppDisplay] = []
        /// The pages that were on the screen.
        public fileprivate(set) var presented: [InAppDisplay] = []
        /// The pages that were closed, including those that were loaded and never shown.
        public fileprivate(set) var closed: [InAppDisplay] = []
        /// The maximum number of pages that were on the screen at once.
        public fileprivate(set) var mostAtOnce = 0
    }

    /// The actions of a person when a page appears.
    public typealias Person = @Sendable (InAppDisplay) -> [InAppBridgeCommand]

    private struct State {
        var notes = Notes()
        var shown: [ScriptedPresentation] = []
        var loading: (@Sendable (InAppDisplay) async throws -> Void)?
        var presenting: (@Sendable (InAppDisplay) async -> Bool)?
    }

    private let person: Person
    private let state = Locked(State())

    /// - Parameter person: the actions for each page; by default none, until ``send(_:)``.
    public init(person: @escaping Person = { _ in [] }) {
        self.person = person
    }

    /// The records so far.
    public var notes: Notes { state.withLock { $0.notes } }

    /// The page that is on the screen; the newest, if there is more than one.
    public var onScreen: InAppDisplay? { state.withLock { $0.shown.last?.page } }

    /// Sets a closure that runs while a page is loaded; it may take time, and throw.
    public func whenLoading(_ body: (@Sendable (InAppDisplay) async throws -> Void)?) {
        state.withLock { $0.loading = body }
    }

    /// Sets a closure that runs when a page is to appear; it returns false if there is no screen for it.
    public func whenPresenting(_ body: (@Sendable (InAppDisplay) async -> Bool)?) {
        state.withLock { $0.presenting = body }
    }

    /// The person acts on the page on the screen.
    ///
    /// - Returns: false when there is no page.
    @discardableResult
    public func send(_ command: InAppBridgeCommand) -> Bool {
        guard let presentation = state.withLock({ $0.shown.last }) else { return false }
        presentation.say(command)
        return true
    }

    /// Removes all pages without a command, as the system does with their window, or when the process dies.
    public func clearScreen() {
        let gone = state.withLock { state in
            defer { state.shown = [] }
            return state.shown
        }
        for presentation in gone {
            presentation.end()
        }
    }

    /// Loads a page with the closure of ``whenLoading(_:)``; at once without one.
    public func prepare(_ page: InAppDisplay) async throws -> any InAppPresentation {
        let loading = state.withLock { state in
            state.notes.prepared.keep(page)
            return state.loading
        }
        try await loading?(page)
        return ScriptedPresentation(page: page, presenter: self)
    }

    fileprivate func present(_ presentation: ScriptedPresentation) async -> Bool {
        let presenting = state.withLock { $0.presenting }
        guard await presenting?(presentation.page) ?? true else { return false }
        state.withLock { state in
            state.notes.presented.keep(presentation.page)
            state.shown.append(presentation)
            state.notes.mostAtOnce = max(state.notes.mostAtOnce, state.shown.count)
        }
        for command in person(presentation.page) {
            presentation.say(command)
        }
        return true
    }

    fileprivate func close(_ presentation: ScriptedPresentation) {
        state.withLock { state in
            state.notes.closed.keep(presentation.page)
            state.shown.removeAll { $0 === presentation }
        }
    }
}

/// A page that a ``ScriptedInAppPresenter`` has loaded.
private final class ScriptedPresentation: InAppPresentation {
    let page: InAppDisplay
    let commands: AsyncStream<InAppBridgeCommand>
    private let presenter: ScriptedInAppPresenter
    private let continuation: AsyncStream<InAppBridgeCommand>.Continuation

    init(page: InAppDisplay, presenter: ScriptedInAppPresenter) {
        self.page = page
        self.presenter = presenter
        let made = AsyncStream<InAppBridgeCommand>.makeStream(bufferingPolicy: .bufferingNewest(64))
        commands = made.stream
        continuation = made.continuation
    }

    func say(_ command: InAppBridgeCommand) {
        continuation.yield(command)
    }

    func end() {
        continuation.finish()
    }

    func present() async -> Bool {
        await presenter.present(self)
    }

    func close() async {
        presenter.close(self)
        end()
    }
}

extension [InAppDisplay] {
    fileprivate mutating func keep(_ page: InAppDisplay) {
        if count >= ScriptedInAppPresenter.Notes.most { removeFirst() }
        append(page)
    }
}
