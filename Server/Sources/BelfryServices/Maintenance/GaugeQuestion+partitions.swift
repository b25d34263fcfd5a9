import BelfryStore

extension GaugeQuestion {
    /// How many partitions each table should have and has not (FLEET-3), where the engine has partitions.
    package static func partitions(of database: any SQLDatabase, environment: ServerEnvironment) -> GaugeQuestion {
        GaugeQuestion(name: "partitions", failure: "the partitions cannot be looked at") {
            let tables = try await database.read { connection in
                try PartitionedTable.all.compactMap { try connection.partitions(of: $0) }
            }
            return tables.reduce(into: [:]) { values, found in
                values["belfry_partitions_missing{table=\"\(found.table.name.statement)\"}"] =
                    found.overdue(at: environment.now()).count
            }
        }
    }
}
