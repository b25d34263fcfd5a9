import Hummingbird

/// An error of the control API: the field, what happened and what is allowed.
struct ControlError: HTTPResponseError {
    let status: HTTPResponse.Status
    let error: SimulatorError

    init(_ error: SimulatorError) {
        status =
            switch error.code {
            case .invalidValue: .badRequest
            case .unknownToken: .notFound
            case .limitReached, .notStartable, .notRunning: .conflict
            }
        self.error = error
    }

    init(field: String, _ message: String) {
        self.init(SimulatorError(.invalidValue, field: field, message))
    }

    /// The caller may not call at all.
    init(_ rejection: RequestOriginRule.Rejection) {
        status = .forbidden
        error = SimulatorError(.invalidValue, field: rejection.field, rejection.message)
    }

    /// Turns an error of the simulator into a response.
    static func naming<Result>(_ action: () throws -> Result) throws -> Result {
        do {
            return try action()
        } catch let error as SimulatorError {
            throw ControlError(error)
        }
    }

    /// Turns an error of the simulator into a response.
    static func naming<Result>(_ action: () async throws -> Result) async throws -> Result {
        do {
            return try await action()
        } catch let error as SimulatorError {
            throw ControlError(error)
        }
    }

    private struct Body: Encodable {
        struct Fault: Encodable {
            var code: SimulatorError.Code
            var field: String
            var message: String
        }

        var error: Fault
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        let fault = Body.Fault(code: error.code, field: error.field, message: error.message)
        var response = try context.responseEncoder.encode(Body(error: fault), from: request, context: context)
        response.status = status
        return response
    }
}
