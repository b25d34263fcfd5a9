import BelfryServices
import BelfryWire
import Hummingbird
import Logging

/// What load balancers and Prometheus ask.
struct HealthController: Sendable {
    private static let alive = ByteBuffer(string: #"{"status":"ok"}"#)
    private static let ready = ByteBuffer(string: #"{"status":"ready"}"#)

    let health: Health
    let metrics: Metrics
    let logger: Logger

    func addRoutes(to router: Router<APIRequestContext>) {
        router.get("healthz") { _, _ in Self.answer(Self.alive, type: "application/json") }
        router.get("readyz", use: readiness)
        router.get("metrics") { _, _ in
            Self.answer(ByteBuffer(string: metrics.prometheusText()), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }

    private func readiness(_ request: Request, _ context: APIRequestContext) async throws -> Response {
        do {
            try await health.check()
        } catch {
            logger.error("the database does not answer", metadata: ["error": "\(LoggedError(error))"])
            throw APIError.databaseBusy
        }
        return Self.answer(Self.ready, type: "application/json")
    }

    private static func answer(_ body: ByteBuffer, type: String) -> Response {
        Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: body))
    }
}
