import BelfryInAppRenderer

/// Shows in-app messages without a screen, for tests of apps and for simulations: it keeps what would be seen, and a
/// script is the person who looks at it.
///
/// ```swift
/// let presenter = ScriptedInAppPresenter { _ in [.close(.close)] }
/// let platform = HeadlessPlatform(system: system, inAppPresenter: presenter)
/// ```
public final class ScriptedInAppPresenter: InAppPresenter {
    /// What was asked of it, in order; of each kind the newest ``most``, for a simulation runs long.
    public struct Notes: Sendable {
        /// Pages that are kept of each kind.
        public static let most = 1_000

        /// The pages that were to be loaded, whether or not they could be.
        public fileprivate(set) var prepared: [InAppDisplay] = []
        /// The pages that were on the screen.
        public fileprivate(set) var presented: [InAppDisplay] = []
        /// The pages that were closed, also those that were loaded and never shown.
        public fileprivate(set) var closed: [InAppDisplay] = []
        /// How many pages were on the screen at once, at most.
        public fileprivate(set) var mostAtOnce = 0
    }

    /// What a person does with a page that has just appeared.
    public typealias Person = @Sendable (InAppDisplay) -> [InAppBridgeCommand]

    private struct State {
        var notes = Notes()
        var shown: [ScriptedPresentation] = []
        var loading: (@Sendable (InAppDisplay) async throws -> Void)?
        var presenting: (@Sendable (InAppDisplay) async -> Bool)?
    }

    private let person: Person
    private let state = Locked(State())

    /// - Parameter person: what is done with each page at once; by default nothing, until ``send(_:)``.
    public init(person: @escaping Person = { _ in [] }) {
        self.person = person
    }

    /// What was asked of it so far.
    public var notes: Notes { state.withLock { $0.notes } }

    /// The page that is on the screen; the newest, should there be more than one.
    public var onScreen: InAppDisplay? { state.withLock { $0.shown.last?.page } }

    /// What happens while a page is loaded from now on: it may take its time, and throw.
    public func whenLoading(_ body: (@Sendable (InAppDisplay) async throws -> Void)?) {
        state.withLock { $0.loading = body }
    }

    /// What happens when a page is to appear from now on; false when there is no screen for it.
    public func whenPresenting(_ body: (@Sendable (InAppDisplay) async -> Bool)?) {
        state.withLock { $0.presenting = body }
    }

    /// The person does something with the page on the screen.
    ///
    /// - Returns: false when there is none.
    @discardableResult
    public func send(_ command: InAppBridgeCommand) -> Bool {
        guard let presentation = state.withLock({ $0.shown.last }) else { return false }
        presentation.say(command)
        return true
    }

    /// The system takes all pages away, as with their window, or the process has died: nobody is told by a command.
    public func clearScreen() {
        let gone = state.withLock { state in
            defer { state.shown = [] }
            return state.shown
        }
        for presentation in gone {
            presentation.end()
        }
    }

    /// Loads a page as ``whenLoading(_:)`` says; at once when it says nothing.
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
