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
    /// An answer was written. Whether it arrives, nobody can say.
    func answered(_ answer: SimulatedResponse)
}

extension ConnectionService {
    func answered(_ answer: SimulatedResponse) {}
}

/// A request as it comes in, piece by piece.
protocol IncomingMessage: Sendable {
    init()
    /// How many bytes the body had so far, kept or not.
    var bodyLength: Int { get }
    /// Takes one field; `name` is in lower case, `:method` and `:path` are among them.
    mutating func take(_ name: String, _ value: String)
    mutating func append(_ bytes: some Collection<UInt8>)
}

/// What a connection has to do about a request.
struct Reply: Sendable, Equatable {
    /// None if the connection is lost, or the sender waits in vain.
    var answer: SimulatedResponse?
    var delay = Duration.zero
    var losesConnection = false

    /// The answer, late as drawn, or what the fault leaves of it.
    init(_ answer: SimulatedResponse, _ draw: FaultDraws.Draw) {
        switch draw.fault {
        case .noAnswer?: break
        case .connectionLostAfter?: losesConnection = true
        default:
            self.answer = answer
            delay = draw.delay
        }
    }

    private init() {}

    /// The connection is closed without an answer.
    static var connectionLost: Reply {
        var reply = Reply()
        reply.losesConnection = true
        return reply
    }
}

/// What goes back to a sender.
struct SimulatedResponse: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        /// In lower case, as HTTP/2 has it.
        var name: String
        var value: String
    }

    var status: Int
    var fields: [Field] = []
    /// Empty: none.
    var body = ""
}
