import BelfryPostgres

/// Checks the servers that hold a distributed database together (FLEET-5).
struct ClusterCheck: DoctorCheck {
    /// Those beside the one of the address.
    let nodes: [CitusNode]

    private static let name = "cluster"

    var findings: [DoctorFinding] {
        let away = nodes.filter { !$0.answers }
        guard !away.isEmpty else {
            return [.ok(Self.name, "The database is distributed over \(nodes.count) servers, and all of them answer.")]
        }
        return away.map { node in
            .error(
                Self.name,
                "The server \(node.host):\(node.port), one of \(nodes.count) that hold the distributed database, does not "
                    + "answer.",
                "Bring it back: its devices get 503 until then, and no campaign can be saved or launched.")
        }
    }
}
