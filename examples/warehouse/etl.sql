-- raw to staging
insert into staging.sales (sale_id, sold_at, train_no, from_code, to_code, price)
select cast(sale_no as bigint), cast(sold_at as timestamp), trim(train_no), upper(from_code), upper(to_code), cast(price as numeric(8, 2))
from raw.ticket_sales;

insert into staging.runs (train_no, run_date, station_code, planned, actual)
select trim(train_no), cast(run_date as date), upper(station_code), cast(planned as timestamp), cast(actual as timestamp)
from raw.train_runs;

insert into staging.stations (code, name, region)
select upper(code), name, region from raw.stations;

-- staging to core
insert into core.region (region_id, name)
select row_number() over (order by region), region from (select distinct region from staging.stations) as regions;

insert into core.station (station_id, code, name, region_id)
select row_number() over (order by s.code), s.code, s.name, r.region_id
from staging.stations as s
join core.region as r on r.name = s.region;

insert into core.train (train_id, train_no)
select row_number() over (order by train_no), train_no
from (select train_no from staging.sales union select train_no from staging.runs) as numbers;

insert into core.run (run_id, train_id, run_date)
select row_number() over (order by t.train_id, r.run_date), t.train_id, r.run_date
from (select distinct train_no, run_date from staging.runs) as r
join core.train as t on t.train_no = r.train_no;

insert into core.stop (run_id, station_id, planned, actual)
select run.run_id, station.station_id, r.planned, r.actual
from staging.runs as r
join core.train as train on train.train_no = r.train_no
join core.run as run on run.train_id = train.train_id and run.run_date = r.run_date
join core.station as station on station.code = r.station_code;

insert into core.ticket (ticket_id, train_id, from_station, to_station, sold_at, price)
select s.sale_id, t.train_id, a.station_id, b.station_id, s.sold_at, s.price
from staging.sales as s
join core.train as t on t.train_no = s.train_no
join core.station as a on a.code = s.from_code
join core.station as b on b.code = s.to_code;

-- core to mart
insert into mart.revenue_by_station (station_id, station_name, tickets, revenue)
select station.station_id, station.name, count(*), sum(ticket.price)
from core.ticket as ticket
join core.station as station on station.station_id = ticket.from_station
group by station.station_id, station.name;

insert into mart.punctuality (train_id, run_date, delay_minutes)
select run.train_id, run.run_date, avg(extract(epoch from stop.actual - stop.planned) / 60)
from core.stop as stop
join core.run as run on run.run_id = stop.run_id
group by run.train_id, run.run_date;
