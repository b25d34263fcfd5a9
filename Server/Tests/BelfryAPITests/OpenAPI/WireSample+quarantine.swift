import BelfryModel

@testable import BelfryAPI

extension WireSample {
    static func quarantine() throws -> [WireSample] {
        let entry = QuarantineResponse.Entry(
            id: "batch-7-1001", kind: "batch", app: "shop", campaign: "7", attempts: 3, reason: "It failed.",
            since: "2026-11-21T12:00:00.000Z"
        )
        return [try WireSample("QuarantineResponse", QuarantineResponse(work: [entry], cursor: "12"))]
    }
}
