/// Runs the actions on a phone one after the other.
actor ActionQueue {
    /// The number of actions that can wait; further ones are refused. A person at a page does not reach it.
    static let maximumWaiting = 100

    /// The number of actions that have not ended.
    private(set) var waiting = 0
    private var newest: Task<Void, Never>?

    /// Runs an action after the actions before it, and returns when it has ended.
    ///
    /// - Returns: false, at once, when too many actions wait.
    func perform(_ action: @escaping @Sendable () async -> Void) async -> Bool {
        guard waiting < Self.maximumWaiting else { return false }
        waiting += 1
        let before = newest
        let task = Task {
            await before?.value
            await action()
        }
        newest = task
        await task.value
        waiting -= 1
        return true
    }
}
