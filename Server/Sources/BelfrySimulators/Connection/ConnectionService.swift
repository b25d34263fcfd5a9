/// The service behind one connection: it decides on requests, and may remember who sent them.
protocol ConnectionService: Sendable {
    associatedtype Message: IncomingMessage

    /// Whether the sender may use all streams; read after each request.
    var allowsAllStreams: Bool { get }
    /// The number of requests after which the connection ends; nil: no limit.
    var goAwayAfter: Int? { get }
    /// The debug data of GOAWAY.
    var farewell: String { get }

    func opened()
    func closed()
    mutating func process(_ message: Message) -> Reply
    /// A response was written. It may not arrive.
    func answered(_ answer: SimulatedResponse)
}

extension ConnectionService {
    func answered(_ answer: SimulatedResponse) {}
}

/// A request as it arrives, piece by piece.
protocol IncomingMessage: Sendable {
    init()
    /// The number of bytes of the body so far, kept or not.
    var bodyLength: Int { get }
    /// Stores one field; `name` is in lower case. `:method` and `:path` are fields, too.
    mutating func take(_ name: String, _ value: String)
    mutating func append(_ bytes: some Collection<UInt8>)
}

/// What a connection must do about a request.
struct Reply: Sendable, Equatable {
    /// Nil if the connection is lost, or the sender gets no response.
    var answer: SimulatedResponse?
    var delay = Duration.zero
    var losesConnection = false

    /// The response with the drawn delay, or what the fault leaves of it.
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

    /// The connection is closed without a response.
    static var connectionLost: Reply {
        var reply = Reply()
        reply.losesConnection = true
        return reply
    }
}

/// The response to a sender.
struct SimulatedResponse: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        /// In lower case, as in HTTP/2.
        var name: String
        var value: String
    }

    var status: Int
    var fields: [Field] = []
    /// Empty: no body.
    var body = ""
}
