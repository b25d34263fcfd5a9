import BelfryServices
import BelfryWire
import Hummingbird

/// The endpoints for load balancers and Prometheus.
enum HealthController {
    private static let alive = ByteBuffer(string: #"{"status":"ok"}"#)
    private static let ready = ByteBuffer(string: #"{"status":"ready"}"#)

    static let routes: [Route<APIRequestContext>] = [
        Route(readHealth) { _ in { _, _ in respond(alive, type: "application/json") } },
        Route(readReadiness) { services in { _, _ in try await respondToReadiness(services.readiness) } },
        Route(readMetrics) { services in
            { _, _ in
                let text = services.metrics.prometheusText()
                return respond(ByteBuffer(string: text), type: "text/plain; version=0.0.4; charset=utf-8")
            }
        },
    ]

    private static let readHealth = APIOperation(
        method: .get, path: "/healthz", id: "readHealth", area: .service, access: .open,
        summary: "Check whether the process is alive",
        responses: [OperationResponse(status: 200, description: "It is alive.", schema: status("ok"))]
    )

    private static let readReadiness = APIOperation(
        method: .get, path: "/readyz", id: "readReadiness", area: .service, access: .open,
        summary: "Check whether the server can serve",
        responses: [OperationResponse(status: 200, description: "It can serve.", schema: status("ready"))],
        errors: [.unavailable]
    )

    private static let readMetrics = APIOperation(
        method: .get, path: "/metrics", id: "readMetrics", area: .service, access: .open,
        summary: "Read the metrics",
        responses: [
            OperationResponse(
                status: 200, description: "In Prometheus format.", schema: .string(), mediaType: "text/plain"
            )
        ]
    )

    private static func status(_ word: String) -> JSONSchema {
        .object(["status": .word([word])])
    }

    private static func respondToReadiness(_ readiness: Readiness) async throws -> Response {
        switch await readiness.state() {
        case .ready: return respond(ready, type: "application/json")
        case .databaseGone: throw APIError.databaseBusy
        case .readOnly: throw APIError.noWrites
        case .noRoom: throw APIError.storageFull
        case .newerSchema: throw APIError.newerSchema
        }
    }

    private static func respond(_ body: ByteBuffer, type: String) -> Response {
        Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: body))
    }
}
