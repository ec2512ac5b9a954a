create view mart.late_trains as
select train.train_no, p.run_date, p.delay_minutes
from mart.punctuality as p
join core.train as train on train.train_id = p.train_id
where p.delay_minutes > 15;

create view mart.revenue_by_region as
select region.name as region, sum(r.revenue) as revenue
from mart.revenue_by_station as r
join core.station as station on station.station_id = r.station_id
join core.region as region on region.region_id = station.region_id
group by region.name;
