import BelfryServices
import BelfryWire
import Hummingbird

/// What load balancers and Prometheus ask.
struct HealthController: Sendable {
    private static let alive = ByteBuffer(string: #"{"status":"ok"}"#)
    private static let ready = ByteBuffer(string: #"{"status":"ready"}"#)

    let readiness: Readiness
    let metrics: Metrics

    func addRoutes(to router: Router<APIRequestContext>) {
        router.get("healthz") { _, _ in Self.answer(Self.alive, type: "application/json") }
        router.get("readyz", use: answerReadiness)
        router.get("metrics") { _, _ in
            Self.answer(ByteBuffer(string: metrics.prometheusText()), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }

    private func answerReadiness(_ request: Request, _ context: APIRequestContext) async throws -> Response {
        switch await readiness.state() {
        case .ready: return Self.answer(Self.ready, type: "application/json")
        case .databaseGone: throw APIError.databaseBusy
        case .readOnly: throw APIError.noWrites
        case .noRoom: throw APIError.storageFull
        case .newerSchema: throw APIError.newerSchema
        }
    }

    private static func answer(_ body: ByteBuffer, type: String) -> Response {
        Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: body))
    }
}
