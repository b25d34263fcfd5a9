/// What a connection has to do about a request.
struct Reply: Sendable, Equatable {
    /// None if the connection is lost, or the sender waits in vain.
    var answer: Answer?
    var delay = Duration.zero
    var losesConnection = false

    /// The answer, late as drawn, or what the fault leaves of it.
    init(_ answer: Answer, _ draw: FaultDraws.Draw) {
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
