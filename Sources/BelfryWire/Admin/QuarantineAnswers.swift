/// `GET /api/v1/quarantine`: work that is set aside, since it failed or ended the process each time (SEC-8). The newest
/// first.
public struct QuarantineAnswer: Hashable, Sendable, Codable {
    public struct Entry: Hashable, Sendable, Codable {
        /// Names it in `retry` and in `DELETE`.
        public var id: String
        /// `registration`, `batch`, `plan`, `silentPush` or `upkeep`.
        public var kind: String
        /// The app that it belongs to; upkeep belongs to none.
        public var app: String?
        /// The campaign that it belongs to, of a batch or a plan.
        public var campaign: String?
        /// How often it was begun alone without an end.
        public var attempts: Int
        public var reason: String
        public var since: String

        public init(
            id: String, kind: String, app: String?, campaign: String?, attempts: Int, reason: String, since: String
        ) {
            self.id = id
            self.kind = kind
            self.app = app
            self.campaign = campaign
            self.attempts = attempts
            self.reason = reason
            self.since = since
        }
    }

    public var work: [Entry]
    /// Asks for what comes next; nil at the end.
    public var cursor: String?

    public init(work: [Entry], cursor: String? = nil) {
        self.work = work
        self.cursor = cursor
    }
}
