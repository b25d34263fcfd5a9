/// What stands behind one connection: it decides on requests, and may remember who sent them.
protocol ConnectionService: Sendable {
    associatedtype Message: IncomingMessage

    /// Whether the sender may use all streams; asked after each request.
    var allowsAllStreams: Bool { get }
    /// After how many requests the connection is ended; nil: never.
    var goAwayAfter: Int? { get }
    /// The debug data of GOAWAY.
    var farewell: String { get }

    func opened()
    func closed()
    mutating func process(_ message: Message) -> Reply
}
