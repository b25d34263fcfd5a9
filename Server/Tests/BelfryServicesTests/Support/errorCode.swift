import BelfryServices

/// The code of the error that `body` throws; nil if it throws none.
func errorCode<Value>(_ body: () async throws -> Value) async -> String? {
    do {
        _ = try await body()
        return nil
    } catch let error as ServiceError {
        return switch error {
        case .invalid(_, let error): error.code
        case .invalidFields(let first, _): first.error.code
        case .unauthorized(let code, _), .forbidden(let code, _), .conflict(let code, _), .gone(let code, _): code
        case .unknownApp: "unknownApp"
        case .registerAnew: "registerAnew"
        case .notFound: "notFound"
        case .tooManyCalls: "tooManyRequests"
        }
    } catch {
        return "\(error)"
    }
}
