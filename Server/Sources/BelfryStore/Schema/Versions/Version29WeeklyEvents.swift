/// From this version on, the upkeep partitions the events by week if the engine has partitions (FLEET-3). No table
/// changes: a migration would have to lock the table and read all of it while every start waits, so the upkeep divides
/// it when it can. The number alone enables this (``PartitionedTable/firstSchema``), because no program of version 27
/// starts on the database any more (FLEET-1). Such a program names the key of the whole table, which a partitioned
/// table does not have, and could store no events. The program of version 28, which may run beside this one, can use
/// both a divided and an undivided table.
enum Version29WeeklyEvents {
    static let migration = Migration(version: 29) { _ in [] }
}
